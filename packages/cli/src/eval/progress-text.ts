import type { Eval } from '@ratchet/contracts/evals'
import { type FirstLook, timeLeft } from '../api/progress-display.ts'
import { inTime, inUsd } from '../text/in-words.ts'

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
    ...(seen.status === 'RUNNING' ? timeLeft(seen.progress, first, nowMs) : []),
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
