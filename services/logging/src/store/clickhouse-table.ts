/**
 * Exchanges with their contents. A row is replaced by one of the same workspace, time and request with a higher version:
 * a request that was stored twice becomes one row, and a change is a new row. The partition is the day on which an exchange
 * expired when it was stored; it does not change when a shortened retention brings the expiry forward.
 *
 * Times are milliseconds, and the newest row has the lowest number, because `FINAL` reads in the order of the table.
 * UUIDs of exchanges are texts, because ClickHouse orders its type for UUIDs in another way than Postgres.
 */
export const createTable = `
  CREATE TABLE IF NOT EXISTS exchange (
    expires_on Date,
    workspace_id UUID,
    newest_first Int64 CODEC(Delta, ZSTD),
    request_id String CODEC(ZSTD),
    version UInt64 CODEC(ZSTD),
    id String CODEC(ZSTD),
    expires_ms Int64 CODEC(Delta, ZSTD),
    retained_ms Int64 CODEC(Delta, ZSTD),
    source LowCardinality(String),
    served_model LowCardinality(String),
    requested_model LowCardinality(String),
    provider LowCardinality(String),
    alias LowCardinality(Nullable(String)),
    canary Bool,
    fallback_from LowCardinality(Nullable(String)),
    tag LowCardinality(Nullable(String)),
    trace_id Nullable(String) CODEC(ZSTD),
    span_id Nullable(String) CODEC(ZSTD),
    parent_span_id Nullable(String) CODEC(ZSTD),
    conversation_id Nullable(String) CODEC(ZSTD),
    segment LowCardinality(String),
    segment_exact String CODEC(ZSTD),
    finish_reason LowCardinality(Nullable(String)),
    stream Bool,
    cached Bool,
    has_tool_calls Bool,
    prompt_tokens Int32 CODEC(ZSTD),
    completion_tokens Int32 CODEC(ZSTD),
    reasoning_tokens Nullable(Int32) CODEC(ZSTD),
    cost_nano Nullable(Int64) CODEC(ZSTD),
    latency_ms Float64 CODEC(ZSTD),
    ttft_ms Nullable(Float64) CODEC(ZSTD),
    redaction_count Int32 CODEC(ZSTD),
    redaction_kinds Array(LowCardinality(String)),
    size_bytes Int32 CODEC(ZSTD),
    prompt_hash String CODEC(ZSTD),
    words Array(Int64) CODEC(ZSTD),
    messages String CODEC(ZSTD(3)),
    response String CODEC(ZSTD(3)),
    tools Nullable(String) CODEC(ZSTD(3)),
    response_format Nullable(String) CODEC(ZSTD(3)),
    params String CODEC(ZSTD(3)),
    INDEX id_range id TYPE minmax GRANULARITY 1,
    INDEX id_values id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX request_range request_id TYPE minmax GRANULARITY 1,
    INDEX request_values request_id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX trace_values trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX tag_values tag TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX model_values served_model TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX segment_values segment TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX alias_values alias TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX finish_values finish_reason TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX cost_range cost_nano TYPE minmax GRANULARITY 1,
    INDEX word_values words TYPE bloom_filter(0.01) GRANULARITY 1
  )
  ENGINE = ReplacingMergeTree(version)
  PARTITION BY expires_on
  ORDER BY (workspace_id, newest_first, request_id)
  SETTINGS old_parts_lifetime = 60, non_replicated_deduplication_window = 1000`

/** The versions of changed rows are higher than those of all stored ones. */
export const changedVersion = '1152921504606846976'

/** The version of a row that is stored at this time. The first of several has precedence. */
export function storedVersion(now: Date): number {
  return Number.MAX_SAFE_INTEGER - now.getTime()
}
