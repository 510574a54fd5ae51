import type { PoolClient, Submittable } from 'pg'

/** A statement whose values and columns are sent as text, and are never null. */
export interface PlainStatement {
  /** Prepared under this name, once per connection; ASCII. */
  readonly name: string
  readonly text: string
  /** One for each `$n`, as Postgres reads it from text; arrays through {@link textArray} or {@link wordArray}. */
  readonly values: readonly string[]
  /** Milliseconds after which it fails without an answer, also of a frozen server; absent: the connection's. */
  readonly timeoutMs?: number
}

/**
 * Runs one prepared statement and resolves with its rows, each column as its text.
 *
 * For the statements that every request waits for: a round trip costs this process a fifth less CPU than with
 * `client.query(…)`. One buffer instead of four messages, no description of columns that are known, no conversions.
 *
 * @throws what the server or the connection reports, as `client.query` does.
 */
export function queryPlain<Row extends readonly string[]>(
  client: PoolClient,
  statement: PlainStatement,
): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new PlainQuery(statement, (error, rows) => {
        if (error === null) resolve(rows as unknown as readonly Row[])
        else reject(error)
      }),
    )
  })
}

/** An array literal of any texts. */
export function textArray(values: readonly string[]): string {
  return `{${values.map(quoted).join(',')}}`
}

/** An array literal of values that need no quotes: UUIDs, numbers, names of enum members. */
export function wordArray(values: readonly (string | bigint)[]): string {
  return `{${values.join(',')}}`
}

function quoted(value: string): string {
  return `"${/["\\]/.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`
}

/** The part of node-postgres' connection that a query uses; its types do not have it. */
interface Wire {
  readonly parsedStatements: Readonly<Record<string, string>>
  readonly stream: { readonly writable: boolean; write(bytes: Buffer): unknown; cork(): void; uncork(): void }
  parse(statement: { readonly name: string; readonly text: string }): void
}

type Callback = (error: Error | null, rows: readonly (readonly string[])[]) => void

/** The interface of node-postgres for custom queries: it calls a method for each message of the answer. */
class PlainQuery implements Submittable {
  readonly name: string
  readonly text: string
  /** node-postgres' name for the timeout of one query; 0: the connection's. */
  readonly query_timeout: number
  /** node-postgres replaces it in order to add its timeout. */
  callback: Callback
  readonly #values: readonly string[]
  readonly #rows: (readonly string[])[] = []

  constructor({ name, text, values, timeoutMs = 0 }: PlainStatement, callback: Callback) {
    this.name = name
    this.text = text
    this.query_timeout = timeoutMs
    this.callback = callback
    this.#values = values
  }

  submit(connection: unknown): void {
    const { stream, parsedStatements } = connection as Wire
    if (!stream.writable) return // the connection is closing, which fails this query too
    const request = bindAndExecute(this.name, this.#values)
    if (parsedStatements[this.name] !== undefined) return void stream.write(request)
    stream.cork()
    ;(connection as Wire).parse(this)
    stream.write(request)
    stream.uncork()
  }

  handleDataRow({ fields }: { readonly fields: readonly string[] }): void {
    this.#rows.push(fields)
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.callback(error, [])
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#rows)
  }
}

/** Execute without a limit of rows, then Sync. */
const executeAndSync = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4])
const bindCode = 0x42

/** Bind of a prepared statement to text values, with text answers, then Execute and Sync: PostgreSQL's protocol 3.0. */
function bindAndExecute(name: string, values: readonly string[]): Buffer {
  const lengths = values.map((value) => Buffer.byteLength(value))
  const valueBytes = lengths.reduce((sum, length) => sum + 4 + length, 0)
  const bindLength = 4 + 1 + name.length + 1 + 2 + 2 + valueBytes + 2
  const bytes = Buffer.allocUnsafe(1 + bindLength + executeAndSync.length)
  let at = bytes.writeUInt8(bindCode, 0)
  at = bytes.writeInt32BE(bindLength, at)
  at = bytes.writeUInt8(0, at) // the unnamed portal
  at += bytes.write(name, at, 'latin1')
  at = bytes.writeUInt8(0, at)
  at = bytes.writeInt16BE(0, at) // every value is text
  at = bytes.writeInt16BE(values.length, at)
  for (const [index, value] of values.entries()) {
    at = bytes.writeInt32BE(lengths[index] as number, at)
    at += bytes.write(value, at)
  }
  at = bytes.writeInt16BE(0, at) // and so is every column
  executeAndSync.copy(bytes, at)
  return bytes
}
