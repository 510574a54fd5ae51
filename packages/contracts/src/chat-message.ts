import { z } from 'zod'

/** A message in the format of chat completions, as logs, grades and evals store it. */
export const ChatMessage = z.looseObject({ role: z.string() })
