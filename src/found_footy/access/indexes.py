"""The indexes of all stores of access, for the start of the product and for commands that need MongoDB only."""

from found_footy.access import key_store, session_store, share_store, ticket_store, user_store

ACCESS_INDEXES = (
    *user_store.INDEXES,
    *session_store.INDEXES,
    *key_store.INDEXES,
    *ticket_store.INDEXES,
    *share_store.INDEXES,
)
