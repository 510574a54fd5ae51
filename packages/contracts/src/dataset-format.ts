import { z } from 'zod'

/** Whether uploaded examples end with a reply. */
export const UploadFormat = z
  .enum(['chat', 'prompts'])
  .describe('`chat`: every example ends with the reply to be learned. `prompts`: every example ends before it.')
export type UploadFormat = z.output<typeof UploadFormat>
