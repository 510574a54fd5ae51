import type { ChatFigures } from './keep-chatting.ts'
import type { EvalFigures } from './measure-eval.ts'
import type { EvalBenchOptions } from './options.ts'

export interface EvalBenchReport extends EvalBenchOptions {
  readonly date: string
  readonly machine: string
  readonly cores: number
  /** Without an eval. */
  readonly calmChat: ChatFigures
  readonly evals: readonly EvalFigures[]
}

/** The figures as Markdown. */
export function renderEvals(report: EvalBenchReport): string {
  const { samples, latencyMs, chatsPerSecond, date, machine, cores, calmChat, evals } = report
  return `${[
    `# An eval of ${samples} samples and three candidates`,
    '',
    `${date}, ${machine}; all processes share the ${cores} cores. Every answer and every look takes ${latencyMs} ms at the provider.`,
    '',
    'Rounds of samples, each of one round of answers and one of looks, cannot take less than `waiting`; what the CPU',
    'does for all questions cannot take less than `computing`: CPU seconds of all processes by the number of cores.',
    '',
    '| concurrency | waiting s | computing s | took s | questions/s | an answer, ms |',
    '| --: | --: | --: | --: | --: | --: |',
    ...evals.map((each) => timeRow(each, report)),
    '',
    `Chat meanwhile, ${chatsPerSecond}/s, milliseconds:`,
    '',
    '| | requests | p50 | p95 | p99 |',
    '| --- | --: | --: | --: | --: |',
    chatRow('no eval', calmChat),
    ...evals.map(({ concurrency, chat }) => chatRow(`concurrency ${concurrency}`, chat)),
    '',
    'CPU milliseconds for each question, chat included:',
    '',
    ...cpuTable(evals),
  ].join('\n')}\n`
}

function timeRow(figures: EvalFigures, { samples, latencyMs, cores }: EvalBenchReport): string {
  const { concurrency, seconds, questions, answerMs, cpuSeconds } = figures
  const waiting = (Math.ceil(samples / concurrency) * 2 * latencyMs) / 1_000
  const computing = sum(Object.values(cpuSeconds)) / cores
  const cells = [waiting.toFixed(1), computing.toFixed(1), seconds.toFixed(1), (questions / seconds).toFixed(0)]
  return `| ${[concurrency, ...cells, answerMs.toFixed(0)].join(' | ')} |`
}

function chatRow(name: string, { requests, p50, p95, p99 }: ChatFigures): string {
  return `| ${[name, requests, p50.toFixed(1), p95.toFixed(1), p99.toFixed(1)].join(' | ')} |`
}

function cpuTable(evals: readonly EvalFigures[]): readonly string[] {
  const names = Object.keys(evals[0]?.cpuSeconds ?? {})
  const msOf = ({ cpuSeconds, questions }: EvalFigures, name: string) => (1_000 * (cpuSeconds[name] ?? 0)) / questions
  const rows = names.map((name) => `| ${[name, ...evals.map((each) => msOf(each, name).toFixed(2))].join(' | ')} |`)
  const totals = evals.map((each) => sum(names.map((name) => msOf(each, name))).toFixed(2))
  return [
    `| process | ${evals.map(({ concurrency }) => `concurrency ${concurrency}`).join(' | ')} |`,
    `| --- |${' --: |'.repeat(evals.length)}`,
    ...rows,
    `| all | ${totals.join(' | ')} |`,
  ]
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
