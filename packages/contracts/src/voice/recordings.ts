import { z } from 'zod'
import { mountedEndpoint } from '../endpoint.ts'

export const CallRecording = z.object({
  channels: z.literal(2).describe('Left is the caller, right the agent.'),
  duration_ms: z.int().min(0),
  bytes: z.int().min(0).describe('Of the file.'),
  partial: z.boolean().describe('Whether parts of the call are missing, because nobody held it or the store was away.'),
})
export type CallRecording = z.infer<typeof CallRecording>

export const getCallRecording = mountedEndpoint({
  method: 'get',
  path: '/v1/calls/:id/recording',
  summary: 'Get the recording of a call.',
  description:
    'A WAV file of both sides, the caller left, of calls whose agent has `recording_enabled`; also while the call goes on, as far as it is. With `Range`, a part of it.',
  permission: 'any',
  params: z.strictObject({ id: z.string().max(100) }),
  reply: z.string(),
  downloads: ['audio/wav'],
  errors: ['not_found'],
})
