import { z } from 'zod'
import { type LiveTopic, topicPattern } from './live-topic.ts'

/** Something that an open page may show has changed. It carries no content: the page reads again. */
export const LiveNotice = z.object({
  /** Such as `round:rnd_…` or `wallet`. */
  topic: z.custom<LiveTopic>((topic) => typeof topic === 'string' && topicPattern.test(topic)),
  /** The public id of what changed. */
  id: z.string(),
  /** Grows with every change, as far as the writer knows. */
  version: z.int(),
})
export type LiveNotice = z.infer<typeof LiveNotice>

/** The channel of Redis on which the notices of a workspace are published. */
export function liveChannel(workspaceId: string): string {
  return `ratchet:live:${workspaceId}`
}
