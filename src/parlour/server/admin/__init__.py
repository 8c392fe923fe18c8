"""The operator's page (`/admin`): who may open it, what it shows and does, and the audit log."""
