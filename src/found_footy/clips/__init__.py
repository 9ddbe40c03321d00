"""Stage three: fetches candidates and checks whether they show the goal. DownloadWorkflow."""
