import type { ArtifactRows } from './artifact-rows.ts'
import type { ArtifactStore } from './artifact-store.ts'

export interface SweepDeps {
  readonly artifacts: Pick<ArtifactStore, 'delete' | 'sweepUploads'>
  readonly rows: Pick<ArtifactRows, 'forgetEnded' | 'sweep'>
  readonly now: () => Date
}

/** How long content stays that nothing needs, milliseconds. */
const unneededMs = 86_400_000
const limit = 100

/** Removes contents that nothing needs any more, and uploads that were never accepted. */
export async function sweepArtifacts({ artifacts, rows, now }: SweepDeps): Promise<void> {
  await rows.forgetEnded(unneededMs)
  while ((await rows.sweep({ unneededMs, limit, remove: artifacts.delete })) === limit);
  await artifacts.sweepUploads(new Date(now().getTime() - unneededMs))
}
