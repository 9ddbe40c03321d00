"""Access to the routes: who a request comes from, what each route needs, and the pages of accounts."""
