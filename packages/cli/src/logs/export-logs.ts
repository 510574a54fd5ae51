import { exportLogs, LogRow, listLogs, maxExportedLogs } from '@ratchet/contracts/logs'
import { Option } from 'commander'
import { z } from 'zod'
import type { Api } from '../api/api-client.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { number } from '../api/value-parsers.ts'
import { CliError } from '../cli-error.ts'
import { allPages } from '../export/all-pages.ts'
import { csvLineOf } from '../export/csv-line.ts'
import { type ExportPiece, writeExport } from '../export/write-export.ts'
import { logFilters } from './log-filters.ts'

const formats = ['training', 'entries', 'csv'] as const

interface Options {
  readonly format: (typeof formats)[number]
  readonly output?: string
  readonly max?: number
}

/** What is exported: the filters as query parameters, and the number of entries. */
interface Selection {
  readonly query: Readonly<Record<string, string>>
  readonly max: number
}

export function addLogExport({ group, run }: ApiCommands): void {
  const command = group
    .command('export')
    .description('Write logged exchanges to a file or to standard output, newest first.')
    .addOption(
      new Option(
        '--format <format>',
        'training: messages of each as JSON lines; entries: whole entries; csv: no content',
      )
        .choices(formats)
        .default('training'),
    )
    .option('--output <file>', 'default: standard output')
    .option('--max <count>', `maximum number; training has ${maxExportedLogs} at most`, number(z.int().min(1)))
  for (const { flags, description } of logFilters) command.option(flags, description)
  command.action((options: Options) =>
    run(async ({ connect, io }) => {
      const named = logFilters.flatMap(({ flags, parameter }) => {
        const value = command.getOptionValue(new Option(flags).attributeName()) as string | undefined
        return value === undefined ? [] : [[parameter, value] as const]
      })
      const { format, output, max = Number.POSITIVE_INFINITY } = options
      if (format === 'training') checkMax(options.max)
      const api = await connect()
      const selection = { query: Object.fromEntries(named), max }
      const total = await countLogs(api, selection)
      if (format !== 'training') {
        return writeExport(io, entries(api, format, selection), { output, noun: 'exchanges', total })
      }
      const isCut = total === null && options.max === undefined && (await hasOlder(api, selection))
      const answer = await writeExport(io, trainingLines(api, selection), { output, noun: 'exchanges', total })
      if (isCut) io.stderr(leftOut)
      return answer
    }, 0),
  )
}

const leftOut = `Exchanges older than the newest ${maxExportedLogs} were left out. Export them with --end, or with --format entries.\n`

/** @throws CliError for more than one export has */
function checkMax(max: number | undefined): void {
  if (max === undefined || max <= maxExportedLogs) return
  throw new CliError(`--max: training has ${maxExportedLogs} at most; use --format entries for more`, { exitCode: 2 })
}

/** Whether there are more entries than one export has. */
async function hasOlder(api: Api, { query }: Selection): Promise<boolean> {
  const beyond = { content: 'none', limit: '1', offset: String(maxExportedLogs) }
  const { value } = await api.call(listLogs, { query: { ...query, ...beyond } })
  return value.data.length > 0
}

/** Null when they were not counted to the end. */
async function countLogs(api: Api, { query, max }: Selection): Promise<number | null> {
  const { value } = await api.call(listLogs, { query: { ...query, content: 'none', limit: '1' } })
  return value.total_is_exact ? Math.min(value.total, max) : null
}

async function* trainingLines(api: Api, { query, max }: Selection): AsyncGenerator<ExportPiece> {
  const limit = String(Math.min(max, maxExportedLogs))
  for await (const text of api.download(exportLogs, { query: { ...query, limit } })) {
    yield { text, records: text.split('\n').length - 1 }
  }
}

const columns = LogRow.keyof().options.filter((name) => name !== 'object')
const Listed = z.object({ data: z.array(z.looseObject({ id: z.string() })), has_more: z.boolean() })
/** Large entries of one page must arrive before the timeout. */
const rowsWithContent = 25
type Row = z.infer<typeof Listed>['data'][number]

async function* entries(api: Api, format: 'entries' | 'csv', { query, max }: Selection): AsyncGenerator<ExportPiece> {
  if (format === 'csv') yield { text: csvLineOf(columns), records: 0 }
  const content = format === 'csv' ? 'none' : 'all'
  const read = async (limit: number, { last }: { readonly last: Row | undefined }) => {
    const after = last === undefined ? {} : { after: last.id }
    const { json } = await api.call(listLogs, { query: { ...query, ...after, content, limit: String(limit) } })
    return Listed.parse(json)
  }
  const pages = allPages<Row>(read, { max, rowsOfPage: format === 'csv' ? 200 : rowsWithContent })
  const lineOf = (row: Row) =>
    format === 'csv' ? csvLineOf(columns.map((name) => row[name])) : `${JSON.stringify(row)}\n`
  for await (const rows of pages) yield { text: rows.map(lineOf).join(''), records: rows.length }
}
