"""Organization uploads: one image event, one workflow, the newest version wins."""
