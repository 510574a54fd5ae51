import type { WorkerFigures } from './measure-workers.ts'
import type { WorkerBenchOptions } from './options.ts'

export interface WorkerBenchReport extends WorkerBenchOptions {
  readonly date: string
  readonly machine: string
  readonly cores: number
  readonly figures: readonly WorkerFigures[]
}

/** The figures as Markdown. */
export function renderWorkers(report: WorkerBenchReport): string {
  const { judgements, latencyMs, concurrency, date, machine, cores, figures } = report
  return `${[
    `# A scan of ${judgements} judgements by one worker and by several`,
    '',
    `${date}, ${machine}; all processes share the ${cores} cores. Every verdict takes ${latencyMs} ms at the provider; each`,
    `worker has ${concurrency} under way at a time. \`growth\` is throughput beside that of the first row, for each worker.`,
    '',
    '| workers | waiting s | took s | judgements/s | growth | largest worker, MB |',
    '| --: | --: | --: | --: | --: | --: |',
    ...figures.map((each) => row(each, report)),
    '',
    'CPU milliseconds for each judgement:',
    '',
    ...cpuTable(figures),
  ].join('\n')}\n`
}

function row(
  { workers, seconds, judgements, peakMb }: WorkerFigures,
  { latencyMs, concurrency, figures: [first] }: WorkerBenchReport,
): string {
  const waiting = (Math.ceil(judgements / (workers * concurrency)) * latencyMs) / 1_000
  const rate = judgements / seconds
  const firstRate = first === undefined ? rate : first.judgements / first.seconds / first.workers
  const growth = rate / workers / firstRate
  const peak = peakMb === null ? '–' : peakMb.toFixed(0)
  return `| ${[workers, waiting.toFixed(1), seconds.toFixed(1), rate.toFixed(1), `${growth.toFixed(2)}×`, peak].join(' | ')} |`
}

function cpuTable(figures: readonly WorkerFigures[]): readonly string[] {
  const names = Object.keys(figures[0]?.cpuMs ?? {})
  const cell = (ms: number) => ms.toFixed(2)
  const total = ({ cpuMs }: WorkerFigures) => Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0)
  return [
    `| process | ${figures.map(({ workers }) => `${workers} ${workers === 1 ? 'worker' : 'workers'}`).join(' | ')} |`,
    `| --- |${' --: |'.repeat(figures.length)}`,
    ...names.map((name) => `| ${[name, ...figures.map(({ cpuMs }) => cell(cpuMs[name] ?? 0))].join(' | ')} |`),
    `| all | ${figures.map((each) => cell(total(each))).join(' | ')} |`,
  ]
}
