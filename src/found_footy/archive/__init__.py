"""Stage four: keep the best copy of each clip, once. UploadWorkflow."""
