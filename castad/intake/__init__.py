"""The intake: orders from a stream of Redis or Valkey become requests of the ledger."""
