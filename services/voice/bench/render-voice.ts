import type { CallFigures } from './measure-calls.ts'
import type { LegFigures } from './measure-legs.ts'
import { scripted, scriptedWaitMs } from './scripted-parts.ts'

export interface VoiceReport {
  readonly calls: readonly CallFigures[]
  readonly legs: readonly LegFigures[]
  readonly seconds: number
  /** Average load of the machine when it began. */
  readonly load: number
  readonly cores: number
  readonly node: string
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
const ms = (value: number) => value.toFixed(1)
const percent = (share: number) => `${(100 * share).toFixed(1)} %`

/** Longest median that the engine may add, and the latest that a hundredth of the ticks may be, milliseconds. */
const goals = { addedMs: 60, lateMs: 10 } as const

export function renderVoice({ calls, legs, seconds, load, cores, node }: VoiceReport): string {
  const carried = calls.filter(
    ({ addedMs, lateMs }) => quantile(addedMs, 0.5) <= goals.addedMs && quantile(lateMs, 0.99) <= goals.lateMs,
  )
  const most = carried.at(-1)
  const lines = [
    '# Voice',
    '',
    `\`npm run bench:voice\`, ${seconds} s for each row, Node ${node}, ${cores} cores, load ${load.toFixed(1)} before it began.`,
    '',
    '## What the engine adds',
    '',
    `Recognition, verdict, model and voice are scripted: a caller waits ${scriptedWaitMs} ms for them (${scripted.endpointMs} of silence, ${scripted.modelMs} for the model,`,
    `${scripted.voiceMs} for the voice; the words, after ${scripted.recognizerMs}, and the verdict, after ${scripted.verdictMs}, lie inside of the silence). Everything beyond is the engine with the line of web calls,`,
    'from the last sound of the caller until the first frame of the answer. Callers are in the same process.',
    '',
    '| calls | answers | added p50 | p95 | p99 | ticks late p50 | p99 | max | processor | memory |',
    '| ----- | ------- | --------- | --- | --- | -------------- | --- | --- | --------- | ------ |',
    ...calls.map((row) =>
      cells([
        row.calls,
        row.answers,
        ...[0.5, 0.95, 0.99].map((share) => `${ms(quantile(row.addedMs, share))} ms`),
        ...[0.5, 0.99, 1].map((share) => `${ms(quantile(row.lateMs, share))} ms`),
        percent(row.cpuShare),
        `${row.rssMb} MB`,
      ]),
    ),
    '',
    most === undefined
      ? `No row kept the goals: at most ${goals.addedMs} ms added at p50, and ticks at most ${goals.lateMs} ms late at p99.`
      : `${most.calls} calls keep the goals (at most ${goals.addedMs} ms added at p50, ticks at most ${goals.lateMs} ms late at p99) with ${percent(most.cpuShare)} of a core: by processor time, ${Math.floor(most.calls / most.cpuShare)} calls for each core, without recognition and voices that run here.`,
    '',
    '## Legs',
    '',
    'G.711 over UDP both ways, with decoding and resampling to 16 kHz. A packet is late when it comes more than a frame (20 ms) later than 20 ms after the one before it.',
    '',
    '| legs | packets sent | received | late | late p50 | p99 | max | processor |',
    '| ---- | ------------ | -------- | ---- | -------- | --- | --- | --------- |',
    ...legs.map((row) =>
      cells([
        row.legs,
        row.sent,
        row.received,
        row.late,
        ...[0.5, 0.99, 1].map((share) => `${ms(quantile(row.lateMs, share))} ms`),
        percent(row.cpuShare),
      ]),
    ),
    '',
  ]
  return lines.join('\n')
}

function cells(values: readonly (string | number)[]): string {
  return `| ${values.join(' | ')} |`
}
