import { z } from 'zod'

/** A tool as a trainer offers it to the model: the form that chat templates render. */
export const TrainerTool = z.object({
  type: z.literal('function'),
  function: z.object({ name: z.string(), description: z.string(), parameters: z.record(z.string(), z.unknown()) }),
})
export type TrainerTool = z.infer<typeof TrainerTool>
