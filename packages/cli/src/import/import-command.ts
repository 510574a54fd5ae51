import { importLogs, type LogImport } from '@ratchet/contracts/log-import'
import { Argument } from 'commander'
import { formatTable } from '../answer.ts'
import type { Api } from '../api/api-client.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { createLineDisplay, type LineDisplay } from '../api/line-display.ts'
import { CliError } from '../cli-error.ts'
import { cut } from '../text/cut.ts'
import type { EntryToImport, RowReader } from './exchange.ts'
import { readHelicone } from './from-helicone.ts'
import { readLangfuse } from './from-langfuse.ts'
import { readLiteLlm } from './from-litellm.ts'
import { readPortkey } from './from-portkey.ts'
import { readTensorZero } from './from-tensorzero.ts'
import { readExport } from './read-export.ts'

const readers: Readonly<Record<string, RowReader>> = {
  helicone: readHelicone,
  langfuse: readLangfuse,
  litellm: readLiteLlm,
  portkey: readPortkey,
  tensorzero: readTensorZero,
}

interface Options {
  readonly tag?: string
  readonly dryRun?: boolean
}

/** Imports what other products have logged. */
export function importCommand({ group, run }: ApiCommands): void {
  group
    .description('Import what another product has logged into the log.')
    .addArgument(new Argument('<product>', 'the product that wrote the export').choices(Object.keys(readers)))
    .argument('<files...>', 'files of JSON lines or JSON, also gzipped (.gz)')
    .option('--tag <tag>', 'the tag that the entries get')
    .option('--dry-run', 'read the files and send nothing')
    .action((product: string, files: readonly string[], { tag, dryRun = false }: Options) =>
      run(async ({ connect, io }) => {
        const reader = readers[product] ?? unknownProduct(product)
        const api = dryRun ? null : await connect()
        const display = createLineDisplay(io)
        const sum = await importFiles({ api, reader, files, tag, display }).finally(() => display.end())
        return { json: jsonOf(sum), text: textOf(sum, dryRun) }
      }),
    )
}

function unknownProduct(name: string): never {
  throw new CliError(`there is no reader for ${name}`, { exitCode: 2 })
}

interface Order {
  /** Null when nothing is sent. */
  readonly api: Api | null
  readonly reader: RowReader
  readonly files: readonly string[]
  readonly tag: string | undefined
  readonly display: LineDisplay
}

interface Sum {
  rows: number
  read: number
  /** By reason. */
  readonly leftOut: Map<string, number>
  imported: number
  duplicates: number
  tooLarge: number
  failed: number
  /** The first of what the log refused, in words. */
  readonly problems: string[]
}

/** Entries that are sent together: what fits the body of a request with room to spare. */
const maxBatch = { entries: 1_000, characters: 6_000_000 }
const maxProblems = 10
/** Waits while a limit of the deployment is reached, milliseconds. */
const timeoutMs = 300_000

async function importFiles({ api, reader, files, tag, display }: Order): Promise<Sum> {
  const sum: Sum = {
    rows: 0,
    read: 0,
    leftOut: new Map(),
    imported: 0,
    duplicates: 0,
    tooLarge: 0,
    failed: 0,
    problems: [],
  }
  let batch: EntryToImport[] = []
  let characters = 0
  const send = async () => {
    if (api !== null && batch.length > 0) {
      const { value } = await api.call(importLogs, { body: { logs: batch } }, { timeoutMs, onWait: display.remark })
      add(sum, value)
      const text = `${sum.rows} rows read, ${sum.imported} imported`
      display.show({ onTerminal: () => text, inLog: text })
    }
    batch = []
    characters = 0
  }
  for (const file of files) {
    for await (const { number, fields } of readExport(file)) {
      sum.rows += 1
      const row = fields === null ? noObject : reader(fields)
      if (row.kind === 'left_out') {
        sum.leftOut.set(row.reason, (sum.leftOut.get(row.reason) ?? 0) + 1)
        continue
      }
      const entry = tag === undefined ? row.entry : { ...row.entry, tag }
      const size = JSON.stringify(entry).length
      if (size > maxBatch.characters) {
        sum.tooLarge += 1
        keep(sum, `${file}:${number} is too large`)
        continue
      }
      if (batch.length >= maxBatch.entries || characters + size > maxBatch.characters) await send()
      sum.read += 1
      batch.push(entry)
      characters += size
    }
  }
  await send()
  return sum
}

const noObject = { kind: 'left_out', reason: 'lines that are no JSON object' } as const

function add(sum: Sum, { imported, duplicates, skipped, failed, errors }: LogImport): void {
  sum.imported += imported
  sum.duplicates += duplicates
  sum.tooLarge += skipped.too_large
  sum.failed += failed
  for (const { param, message } of errors) keep(sum, `${param}: ${message}`)
}

function keep({ problems }: Sum, problem: string): void {
  if (problems.length < maxProblems) problems.push(cut(problem, 200))
}

function jsonOf({ leftOut, rows, read, imported, duplicates, tooLarge, failed, problems }: Sum) {
  return {
    rows,
    read,
    imported,
    duplicates,
    too_large: tooLarge,
    failed,
    left_out: Object.fromEntries(leftOut),
    problems,
  }
}

function textOf(sum: Sum, dryRun: boolean): string {
  const counts: [string, string][] = [
    ['rows', String(sum.rows)],
    [dryRun ? 'would be sent' : 'imported', String(dryRun ? sum.read : sum.imported)],
    ['already in the log', String(sum.duplicates)],
    ['too large', String(sum.tooLarge)],
    ['failed', String(sum.failed)],
    ...[...sum.leftOut].map(([reason, count]): [string, string] => [`left out: ${reason}`, String(count)]),
  ]
  const shown = counts.filter(([name, count], index) => index < 2 || (count !== '0' && name !== ''))
  return [formatTable(shown), ...sum.problems].join('\n')
}
