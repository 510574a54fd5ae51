/*
 * A program for tests: ClickHouse's engine behind the part of its HTTP interface that its client uses. The argument is the
 * folder in which the engine is installed. The port is printed when it is ready.
 */

import { createServer, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Engine {
  readonly Session: new () => { query(text: string, format?: string): string }
}

const { Session } = createRequire(`${process.argv[2]}/package.json`)('chdb') as Engine
const session = new Session()
session.query('CREATE DATABASE log ENGINE = Atomic')
session.query('USE log')

/** Statements run one after another. */
let last: Promise<unknown> = Promise.resolve()

// Parameters of statements are in the URL.
const server = createServer({ maxHeaderSize: 1_048_576 }, (request, response) => {
  last = last.then(async () => {
    try {
      const result = run(await statementOf(request))
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(result)
    } catch (error) {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(messageOf(error))
    }
  })
})

interface Statement {
  readonly query: string
  readonly settings: string
}

async function statementOf(request: IncomingMessage): Promise<Statement> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const body = await text(request)
  const inUrl = url.searchParams.get('query')
  const parameters = new Map<string, string>()
  const settings: string[] = []
  for (const [name, value] of url.searchParams) {
    if (name.startsWith('param_')) parameters.set(name.slice('param_'.length), value)
    else if (knownSettings.has(name)) settings.push(`${name} = ${value}`)
  }
  // An insert has its statement in the URL and its rows in the body.
  if (inUrl !== null) return { query: `${inUrl}\n${body}`, settings: '' }
  return { query: withParameters(body, parameters), settings: settings.join(', ') }
}

const knownSettings = new Set([
  'final',
  'do_not_merge_across_partitions_select_final',
  'output_format_json_quote_64bit_integers',
  'lightweight_deletes_sync',
])

/** Puts values in the place of parameters, as the server does. */
function withParameters(query: string, parameters: ReadonlyMap<string, string>): string {
  return query.replace(/\{(\w+):((?:[^{}])+)\}/g, (_, name: string, type: string) => {
    const value = parameters.get(name)
    if (value === undefined) throw new Error(`Code: 456. DB::Exception: no parameter ${name} (UNKNOWN_QUERY_PARAMETER)`)
    if (/^U?Int\d+$/.test(type)) return Number.isNaN(Number(value)) ? `'${value}'` : value
    const given = type.startsWith('Array') ? value : unescaped(value)
    return `_CAST(${literal(given)}, '${type}')`
  })
}

function unescaped(value: string): string {
  return value.replace(/\\([\\tnrbf0'])/g, (_, code: string) => escapes[code] ?? code)
}

const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', 0: '\0' }

function literal(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function run({ query, settings }: Statement): string {
  const select = query.replace(/\s+FORMAT JSONEachRow\s*$/, '')
  const text = settings === '' || /^\s*(CREATE|INSERT)/.test(select) ? select : `${select} SETTINGS ${settings}`
  return session.query(text, 'JSONEachRow')
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.slice(Math.max(0, message.indexOf('Code: ')))
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
process.on('disconnect', () => process.exit())
