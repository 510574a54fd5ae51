import type { ExchangeContent, WholeExchange } from './logged-exchange.ts'
import { type BinaryType, bigintArray, binaryArray, binaryTypes } from './pg-binary-arrays.ts'
import type { NewBlock } from './pg-plan-blocks.ts'

interface Column {
  readonly name: string
  readonly type: TypeName
  readonly array: (exchanges: readonly WholeExchange[]) => Buffer
}

type TypeName = keyof typeof binaryTypes
type ValueOf<Name extends TypeName> = (typeof binaryTypes)[Name] extends BinaryType<infer T> ? T : never

function column<Name extends TypeName>(
  name: string,
  type: Name,
  value: (exchange: WholeExchange) => ValueOf<Name> | null,
): Column {
  const binaryType = binaryTypes[type] as unknown as BinaryType<ValueOf<Name>>
  return { name, type, array: (exchanges) => binaryArray(binaryType, exchanges.map(value)) }
}

const exchangeColumns: readonly Column[] = [
  column('id', 'uuid', ({ id }) => id),
  column('workspace_id', 'uuid', ({ workspaceId }) => workspaceId),
  column('request_id', 'uuid', ({ requestId }) => requestId),
  column('created_at', 'timestamptz', ({ createdAt }) => createdAt),
  column('expires_at', 'timestamptz', ({ expiresAt }) => expiresAt),
  column('served_model', 'text', ({ servedModel }) => servedModel),
  column('requested_model', 'text', ({ requestedModel }) => requestedModel),
  column('provider', 'text', ({ provider }) => provider),
  column('alias', 'text', ({ alias }) => alias),
  column('canary', 'boolean', ({ canary }) => canary),
  column('fallback_from', 'text', ({ fallbackFrom }) => fallbackFrom),
  column('tag', 'text', ({ tag }) => tag),
  column('trace_id', 'text', ({ traceId }) => traceId),
  column('span_id', 'text', ({ spanId }) => spanId),
  column('parent_span_id', 'text', ({ parentSpanId }) => parentSpanId),
  column('conversation_id', 'text', ({ conversationId }) => conversationId),
  column('segment', 'text', ({ segment }) => segment),
  column('segment_exact', 'text', ({ segmentExact }) => segmentExact),
  column('finish_reason', 'text', ({ finishReason }) => finishReason),
  column('stream', 'boolean', ({ stream }) => stream),
  column('cached', 'boolean', ({ cached }) => cached),
  column('has_tool_calls', 'boolean', ({ hasToolCalls }) => hasToolCalls),
  column('prompt_tokens', 'integer', ({ promptTokens }) => promptTokens),
  column('completion_tokens', 'integer', ({ completionTokens }) => completionTokens),
  column('reasoning_tokens', 'integer', ({ reasoningTokens }) => reasoningTokens),
  column('cost_nano', 'bigint', ({ costNano }) => costNano),
  column('latency_ms', 'double precision', ({ latencyMs }) => latencyMs),
  column('ttft_ms', 'double precision', ({ ttftMs }) => ttftMs),
  column('redaction_count', 'integer', ({ redactionCount }) => redactionCount),
  column('size_bytes', 'integer', ({ sizeBytes }) => sizeBytes),
  column('prompt_hash', 'bytea', ({ promptHash }) => promptHash),
  column('block_id', 'uuid', ({ blockId }) => blockId),
]

/** Values that the statement converts. `unnest` flattens nested arrays, so the kinds are one comma-separated text. */
const convertedColumns: readonly Column[] = [
  column('source', 'text', ({ source }) => source),
  column('kinds', 'text', ({ redactionKinds }) => redactionKinds.join(',')),
]

/** Contents that are not in blocks. */
const contentColumns: readonly Column[] = [
  contentColumn('messages', ({ messages }) => messages),
  contentColumn('response', ({ response }) => response),
  contentColumn('tools', ({ tools }) => tools),
  contentColumn('response_format', ({ responseFormat }) => responseFormat),
  contentColumn('params', ({ params }) => params),
]

function contentColumn(name: string, value: (content: ExchangeContent) => string | null): Column {
  return column(name, 'text', ({ blockId, content }) => (blockId === null ? value(content) : null))
}

const columns = [...exchangeColumns, ...convertedColumns, ...contentColumns]

const exchangeNames = namesOf(exchangeColumns)
const contentNames = namesOf(contentColumns)

const parameters = columns.map(({ type }, index) => `$${index + 1}::${type}[]`)
/** The words of all exchanges are one array, of which each exchange takes a range. */
const [firstWord, lastWord, words, ...blockParameters] = Array.from(
  { length: 8 },
  (_, more) => `$${columns.length + 1 + more}`,
)
const [blockIds, blockDays, blockWorkspaces, blockCounts, blockContents] = blockParameters

const text = `
  WITH input AS (
    SELECT * FROM unnest(${parameters.join(', ')}, ${firstWord}::integer[], ${lastWord}::integer[])
      AS input(${namesOf(columns)}, first_word, last_word)
  ), stored AS (
    INSERT INTO exchange (expires_on, source, redaction_kinds, words, ${exchangeNames})
    SELECT (expires_at AT TIME ZONE 'UTC')::date, source::exchange_source, string_to_array(kinds, ','),
      (${words}::bigint[])[first_word:last_word], ${exchangeNames} FROM input
    ON CONFLICT (expires_on, workspace_id, request_id) DO NOTHING
    RETURNING expires_on, id
  ), contents AS (
    INSERT INTO exchange_content (expires_on, id, ${contentNames})
    SELECT expires_on, id, ${contentNames} FROM input JOIN stored USING (id) WHERE block_id IS NULL
  ), blocks AS (
    INSERT INTO exchange_block (id, expires_on, workspace_id, exchanges, content)
    SELECT id, day::date, workspace_id, exchanges, content
    FROM unnest(${blockIds}::uuid[], ${blockDays}::text[], ${blockWorkspaces}::uuid[], ${blockCounts}::integer[], ${blockContents}::bytea[])
      AS block(id, day, workspace_id, exchanges, content)
  )
  SELECT id FROM stored`

/**
 * Stores exchanges and blocks, and skips exchanges whose request is stored already. Returns the ids of the new rows. The
 * blocks have the contents of skipped exchanges too, so these must be removed in the same transaction.
 *
 * @throws RangeError when a number is too large for its column
 */
export function insertExchanges(exchanges: readonly WholeExchange[], blocks: readonly NewBlock[]) {
  const values = [
    ...columns.map(({ array }) => array(exchanges)),
    ...wordParameters(exchanges),
    ...blockColumns.map((array) => array(blocks)),
  ]
  return { name: 'logging-insert-exchanges', text, values }
}

/** The first and the last place of each exchange's words, and all words. */
function wordParameters(exchanges: readonly WholeExchange[]): readonly Buffer[] {
  let count = 0
  const starts: number[] = []
  const ends: number[] = []
  for (const { words: own } of exchanges) {
    starts.push(count + 1)
    count += own.length
    ends.push(count)
  }
  const { integer } = binaryTypes
  const all = bigintArray(exchanges.map(({ words: own }) => own))
  return [binaryArray(integer, starts), binaryArray(integer, ends), all]
}

/** In the order of the statement's parameters. */
const blockColumns: readonly ((blocks: readonly NewBlock[]) => Buffer)[] = [
  (blocks) =>
    binaryArray(
      binaryTypes.uuid,
      blocks.map(({ id }) => id),
    ),
  (blocks) =>
    binaryArray(
      binaryTypes.text,
      blocks.map(({ day }) => day),
    ),
  (blocks) =>
    binaryArray(
      binaryTypes.uuid,
      blocks.map(({ workspaceId }) => workspaceId),
    ),
  (blocks) =>
    binaryArray(
      binaryTypes.integer,
      blocks.map(({ exchanges }) => exchanges),
    ),
  (blocks) =>
    binaryArray(
      binaryTypes.bytea,
      blocks.map(({ content }) => content),
    ),
]

function namesOf(of: readonly Column[]): string {
  return of.map(({ name }) => name).join(', ')
}
