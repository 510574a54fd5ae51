import { type DeadLetterReason, readDeadLetterReasons, readWork, type WorkQueue } from '@ratchet/db/background-work'
import { type Answer, formatTable } from '../answer.ts'
import { withoutControls } from '../text/printable.ts'
import type { AdminCommands, AdminDeps } from './admin-commands.ts'

const maxReasons = 20
/** Milliseconds. The count of waiting rows may read millions of them. */
const queryTimeoutMs = 120_000

export function listWork({ admin, run }: AdminCommands): void {
  admin
    .command('list')
    .description('Show how much work waits, runs or is dead-lettered, and why.')
    .action(() => run(work, { queryTimeoutMs }))
}

async function work({ pool }: AdminDeps): Promise<Answer> {
  const queues = await readWork(pool)
  const reasons = await readDeadLetterReasons(pool, { atMost: maxReasons })
  // Reasons contain text of other hosts.
  return withoutControls({
    json: { queues: queues.map(queueJson), poisoned: reasons },
    text: [queueTable(queues), ...(reasons.length === 0 ? [] : ['', reasonTable(reasons)])].join('\n'),
  })
}

function queueTable(queues: readonly WorkQueue[]): string {
  const rows = queues.map(({ queue, pending, due, oldestDueSeconds, leased, poisoned }) => [
    queue,
    String(pending),
    String(due),
    due === 0 ? '–' : `${Math.round(oldestDueSeconds)} s`,
    String(leased),
    String(poisoned),
  ])
  return formatTable([['QUEUE', 'PENDING', 'DUE', 'OLDEST DUE', 'UNDER WAY', 'DEAD-LETTERED'], ...rows])
}

function reasonTable(reasons: readonly DeadLetterReason[]): string {
  const rows = reasons.map(({ queue, source, error, count, example }) => [
    source === null ? queue : `${queue} (${source})`,
    String(count),
    example,
    error,
  ])
  return formatTable([['DEAD-LETTERED', 'ROWS', 'FOR EXAMPLE', 'LAST ERROR'], ...rows])
}

function queueJson({ oldestDueSeconds, ...queue }: WorkQueue): Record<string, unknown> {
  return { ...queue, oldest_due_seconds: oldestDueSeconds }
}
