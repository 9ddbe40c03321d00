"""Stage three: is this clip that goal. DownloadWorkflow."""
