import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** Maximum number of ids of one request. */
export const maxFeedbackIds = 2_000

/** Feedback of users for judging, which chooses what people grade by it. The edge does not forward to it. */
export const readFeedback = endpoint({
  method: 'post',
  path: '/internal/feedback/read',
  summary: 'Count feedback on log entries and traces.',
  description: 'Those without feedback are left out. Comments are not read.',
  service: 'logging',
  audience: 'internal',
  callers: ['judging'],
  body: z.strictObject({
    log_ids: z.array(z.uuid()).max(maxFeedbackIds).default([]),
    trace_ids: z.array(z.string().min(1).max(200)).max(maxFeedbackIds).default([]),
  }),
  reply: z.object({
    data: z.array(
      z.object({
        log_id: z.uuid().nullable(),
        trace_id: z.string().nullable(),
        up: z.int(),
        down: z.int(),
      }),
    ),
  }),
})
