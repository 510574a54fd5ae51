import type { Eval } from '@ratchet/contracts/evals'
import { inUsd } from '../text/in-words.ts'

/** Progress of an eval at the first poll, and its time. */
export interface FirstLook {
  readonly done: number
  readonly atMs: number
}

export type Progressing = Pick<
  Eval,
  'id' | 'status' | 'progress' | 'waiting_for' | 'created_at' | 'finished_at' | 'cost_usd' | 'judge_cost_usd'
>

const maxBarColumns = 24
/** Minimum columns of a bar. */
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

/** A bar and a space that fill the line; empty when there is too little room. */
export function progressBar(seen: Progressing, room: number): string {
  if (room < minBarColumns) return ''
  const columns = Math.min(room, maxBarColumns)
  const full = Math.floor(shareOf(seen) * columns)
  return `${'█'.repeat(full)}${'░'.repeat(columns - full)} `
}

function shareOf({ progress: { done, total } }: Progressing): number {
  return total === 0 ? 0 : Math.min(1, done / total)
}

/** Estimated from the speed since the first poll, because an eval may wait before it runs. */
function timeLeft({ status, progress }: Progressing, first: FirstLook, nowMs: number): readonly string[] {
  const sinceThen = progress.done - first.done
  if (status !== 'RUNNING' || sinceThen <= 0) return []
  const leftMs = ((nowMs - first.atMs) / sinceThen) * (progress.total - progress.done)
  return [`about ${inTime(leftMs)} left`]
}

/** The clock of the deployment may be ahead, so the difference is at least 0. */
function inTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  if (hours > 0) return `${hours}h ${minutes}m`
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`
}
