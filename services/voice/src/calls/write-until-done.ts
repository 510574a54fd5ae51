/** Tries to write the end of a call, and the time between two. After that it ends as a call whose worker was lost. */
const lastWrites = { count: 120, everyMs: 500 }

export interface WriteUntilDoneDeps {
  readonly pause: (ms: number) => Promise<void>
  readonly onError: (error: unknown) => void
}

/** Repeats a write, which says whether all of it is done, while the database is away. Never rejects. */
export async function writeUntilDone(
  write: () => Promise<boolean>,
  { pause, onError }: WriteUntilDoneDeps,
): Promise<void> {
  for (let tried = 0; tried < lastWrites.count; tried++) {
    const isWritten = await write().catch((error: unknown) => {
      onError(error)
      return false
    })
    if (isWritten) return
    await pause(lastWrites.everyMs)
  }
}
