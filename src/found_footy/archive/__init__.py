"""Stage four: stores the best copy of each recording once. UploadWorkflow."""
