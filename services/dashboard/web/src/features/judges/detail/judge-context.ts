import type { Criterion } from '@ratchet/contracts/criteria'
import { createContext, useContext } from 'react'

/** The judge of the page, which the layout has read. */
export const JudgeContext = createContext<Criterion | null>(null)

export function useJudge(): Criterion {
  const judge = useContext(JudgeContext)
  if (judge === null) throw new Error('This part belongs to the page of a judge.')
  return judge
}
