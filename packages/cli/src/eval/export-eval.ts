import type { CandidateReport, EvalReport } from '@ratchet/contracts/eval-report'
import { getEval, listEvalSamples } from '@ratchet/contracts/evals'
import { Option } from 'commander'
import { z } from 'zod'
import type { Api } from '../api/api-client.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { CliError } from '../cli-error.ts'
import { allPages } from '../export/all-pages.ts'
import { csvLineOf } from '../export/csv-line.ts'
import { type ExportPiece, writeExport } from '../export/write-export.ts'
import { parseEvalId } from './eval-id.ts'

const formats = ['report', 'csv', 'samples'] as const

interface Options {
  readonly format: (typeof formats)[number]
  readonly output?: string
}

export function exportEval({ group, run }: ApiCommands): void {
  group
    .command('export')
    .description('Write the report of an eval, or its samples, to a file or to standard output.')
    .argument('<id>', 'the eval', parseEvalId)
    .addOption(
      new Option('--format <format>', 'report: the eval as JSON; csv: a row per candidate; samples: JSON lines')
        .choices(formats)
        .default('report'),
    )
    .option('--output <file>', 'default: standard output')
    .action((id: string, { format, output }: Options) =>
      run(async ({ connect, io }) => {
        const api = await connect()
        const { value, json } = await api.call(getEval, { params: { id } })
        if (format === 'samples') {
          return writeExport(io, samples(api, id), { output, noun: 'samples', total: value.progress.done })
        }
        if (value.report === null) throw new CliError(`${id} has no report yet (${value.status})`)
        const noun = format === 'csv' ? 'candidates' : 'reports'
        const text = format === 'csv' ? candidatesText(value.report) : `${JSON.stringify(json, null, 2)}\n`
        const records = format === 'csv' ? Object.keys(value.report.candidates).length : 1
        return writeExport(io, once({ text, records }), { output, noun, total: records })
      }, 0),
    )
}

async function* once(piece: ExportPiece): AsyncGenerator<ExportPiece> {
  yield piece
}

const Listed = z.object({ data: z.array(z.looseObject({})), has_more: z.boolean() })

async function* samples(api: Api, id: string): AsyncGenerator<ExportPiece> {
  const read = async (limit: number, { count: offset }: { readonly count: number }) => {
    const { json } = await api.call(listEvalSamples, { params: { id }, query: { limit, offset } })
    return Listed.parse(json)
  }
  const pages = allPages(read, { max: Number.POSITIVE_INFINITY })
  for await (const rows of pages) {
    yield { text: rows.map((row) => `${JSON.stringify(row)}\n`).join(''), records: rows.length }
  }
}

/** Figures of a candidate that have one value. */
const figures = [
  ...(['wins', 'losses', 'ties', 'inconsistent', 'samples_judged', 'p_value', 'inconclusive'] as const),
  ...(['judge_unreliable', 'judge_biased', 'savings_pct', 'latency_diff_ms', 'avg_latency_ms'] as const),
  ...(['p95_latency_ms', 'cost_usd', 'errors'] as const),
] satisfies readonly (keyof CandidateReport)[]

function candidatesText({ baseline, candidates }: EvalReport): string {
  const heading = ['model', 'baseline', 'win_rate', 'win_rate_low', 'win_rate_high', ...figures]
  const rows = Object.entries(candidates).map(([model, candidate]) => {
    const [low, high] = candidate.win_rate_ci ?? [null, null]
    return [model, baseline.model, candidate.win_rate, low, high, ...figures.map((name) => candidate[name])]
  })
  return [heading, ...rows].map(csvLineOf).join('')
}
