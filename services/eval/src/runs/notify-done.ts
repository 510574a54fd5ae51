import type { PublishWebhookEvent } from '@ratchet/judge-kit/fleet/publish-webhook-event'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import { type DoneEval, type DoneEvalStore, type DonePlace, doneData, tellingMs } from './done-eval.ts'

export interface TellDoneDeps {
  readonly done: DoneEvalStore
  readonly tell: PublishWebhookEvent
  /** Hears of an eval that nobody will be told of. */
  readonly onRefused: (runId: string) => void
  readonly now: () => Date
}

/** Told at the same time. */
const maxAtOnce = 4

/**
 * Has the webhooks of workspaces told of evals that are done, for a day after their end. One that cannot be told now is
 * told again at the next call; when none of several can, nobody listens, and the others wait too.
 *
 * @throws what the first failed with that could not be told
 */
export async function tellDone(deps: TellDoneDeps): Promise<void> {
  const { done, now } = deps
  await done.giveUp(new Date(now().getTime() - tellingMs), now())
  const failures: unknown[] = []
  let after: DonePlace | null = null
  for (;;) {
    const page: readonly DoneEval[] = await done.untold(maxAtOnce, after)
    const told = await Promise.allSettled(page.map((run) => tellOf(deps, run)))
    const failed = told.filter((each) => each.status === 'rejected')
    failures.push(...failed.map(({ reason }) => reason))
    after = page.at(-1) ?? null
    if (page.length < maxAtOnce || failed.length === page.length) break
  }
  if (failures.length > 0) throw failures[0]
}

async function tellOf({ done, tell, onRefused, now }: TellDoneDeps, run: DoneEval): Promise<void> {
  const answer = await tell({
    id: deterministicId('eval-done', run.id),
    type: 'eval.done',
    timestamp: run.finishedAt,
    data: doneData(run),
    identity: workerIdentity(run.workspaceId, run.createdBy),
  })
  if (answer === 'refused') onRefused(run.id)
  await done.keepTold(run.id, now())
}
