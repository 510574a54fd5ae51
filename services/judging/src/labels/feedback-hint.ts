import type { Identity } from '@ratchet/contracts/identity'
import type { FeedbackCount, FeedbackItems, LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { Logger } from 'pino'

export interface FeedbackHintDeps {
  readonly log: Pick<LogReader, 'feedback'>
  readonly logger: Pick<Logger, 'warn'>
}

/**
 * Feedback of users where it only says what to grade first. When it cannot be read it counts as none, because the draw
 * that it helps has been paid for.
 */
export async function feedbackHint(
  { log, logger }: FeedbackHintDeps,
  identity: Identity,
  items: FeedbackItems,
): Promise<ReadonlyMap<string, FeedbackCount>> {
  try {
    return await log.feedback(identity, items)
  } catch (error) {
    const { workspaceId } = identity
    logger.warn({ event: 'feedback_unread', workspaceId, err: error }, 'feedback was not read and counts as none')
    return new Map()
  }
}
