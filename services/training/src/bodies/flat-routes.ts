import type { Response } from 'express'
import { FlatRefusal } from './flat-refusal.ts'

/** Does something, and answers the refusals that are not in the envelope. Any other error is thrown. */
export async function answeringFlatly(response: Response, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof FlatRefusal)) throw error
    response.status(400).json({ error: error.message })
  }
}
