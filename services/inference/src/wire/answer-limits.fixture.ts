import type { AnswerLimits } from './answer-limits.ts'

/** Limits that no test reaches by accident. */
export const wideLimits: AnswerLimits = {
  maxStreamBytes: 100_000_000,
  maxReplyBytes: 100_000_000,
  maxFrames: 1_000_000,
  maxFrameBytes: 1_048_576,
  maxCharacters: 10_000_000,
}
