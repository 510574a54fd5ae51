import { Label } from '@ratchet/contracts/labels'
import type { StoredLabel } from './label.ts'
import { labelReply } from './label-reply.ts'
import type { LabelStore } from './label-store.ts'

/** Labels whose content is in memory at a time. */
const together = 20

/** Labels as JSON texts, in their order, with what was graded. */
export async function* labelTexts(
  store: Pick<LabelStore, 'snapshots'>,
  labels: readonly StoredLabel[],
): AsyncGenerator<string> {
  for (let from = 0; from < labels.length; from += together) {
    const batch = labels.slice(from, from + together)
    const [first] = batch
    if (first === undefined) return
    const ids = batch.map(({ snapshotId }) => snapshotId)
    const snapshots = await store.snapshots(first.workspaceId, ids)
    for (const label of batch) {
      const snapshot = snapshots.get(label.snapshotId)
      if (snapshot === undefined) throw new Error('a grade has lost what was graded')
      yield JSON.stringify(Label.parse(labelReply(label, snapshot)))
    }
  }
}

/** The same as members of a JSON array. */
export async function* memberTexts(
  store: Pick<LabelStore, 'snapshots'>,
  labels: readonly StoredLabel[],
): AsyncGenerator<string> {
  let separator = ''
  for await (const text of labelTexts(store, labels)) {
    yield separator + text
    separator = ','
  }
}
