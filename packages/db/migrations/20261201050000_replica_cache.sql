-- Share of the KV cache of a replica's engine that was in use when it was last asked; null when it does not say.
ALTER TABLE "replica" ADD COLUMN "kv_cache_used" DOUBLE PRECISION;
