import type { Eval } from '@ratchet/contracts/evals'
import { inUsd } from '../text/in-words.ts'

/** How far an eval was when somebody began to look, and when that was. */
export interface FirstLook {
  readonly done: number
  readonly atMs: number
}

export type Progressing = Pick<
  Eval,
  'id' | 'status' | 'progress' | 'waiting_for' | 'created_at' | 'finished_at' | 'cost_usd' | 'judge_cost_usd'
>

const maxBarColumns = 24
/** A bar shorter than this shows nothing. */
const minBarColumns = 8

/** `RUNNING 42/100 42 %, 1m 5s, about 1m 30s left, $0.0120` */
export function progressText(seen: Progressing, first: FirstLook, nowMs: number): string {
  const { done, total } = seen.progress
  const parts = [
    `${seen.status} ${done}/${total} ${Math.floor(shareOf(seen) * 100)} %`,
    inTime((seen.finished_at === null ? nowMs : Date.parse(seen.finished_at)) - Date.parse(seen.created_at)),
    ...timeLeft(seen, first, nowMs),
    inUsd(seen.cost_usd + seen.judge_cost_usd),
    ...(seen.waiting_for === null ? [] : [`waiting: ${seen.waiting_for}`]),
  ]
  return parts.join(', ')
}

/** A bar and a space behind it, as wide as there is room; nothing where there is too little. */
export function progressBar(seen: Progressing, room: number): string {
  if (room < minBarColumns) return ''
  const columns = Math.min(room, maxBarColumns)
  const full = Math.floor(shareOf(seen) * columns)
  return `${'█'.repeat(full)}${'░'.repeat(columns - full)} `
}

function shareOf({ progress: { done, total } }: Progressing): number {
  return total === 0 ? 0 : Math.min(1, done / total)
}

/** From the pace since the first look: how long it waited before says nothing of how long it takes. */
function timeLeft({ status, progress }: Progressing, first: FirstLook, nowMs: number): readonly string[] {
  const sinceThen = progress.done - first.done
  if (status !== 'RUNNING' || sinceThen <= 0) return []
  const leftMs = ((nowMs - first.atMs) / sinceThen) * (progress.total - progress.done)
  return [`about ${inTime(leftMs)} left`]
}

/** The clock of the deployment may be ahead of this one. */
function inTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  if (hours > 0) return `${hours}h ${minutes}m`
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`
}
