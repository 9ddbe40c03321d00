"""MongoDB operations on uploads. Each changes one row, and its filter holds its full precondition."""

from found_footy.platform.mongo import Database, MongoIndex

UPLOADS = "uploads"

INDEXES = (MongoIndex(UPLOADS, (("organizationId", 1), ("name", 1)), unique=True),)


class UploadStore:
    def __init__(self, database: Database) -> None:
        self._rows = database[UPLOADS]
