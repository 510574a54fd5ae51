import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Notice } from '../../kit/states/notice.tsx'

interface FreshOnlyProps {
  /** Null unless the sign-in is too old. */
  readonly signInAgain: (() => void) | null
  readonly children: ReactNode
}

/** What operators see after a sign-in of the last 15 minutes, or the way to make one. */
export function FreshOnly({ signInAgain, children }: FreshOnlyProps): ReactNode {
  if (signInAgain === null) return children
  return (
    <Notice state="open" action={<Button onClick={signInAgain}>Sign in again</Button>}>
      These pages need a sign-in of the last 15 minutes.
    </Notice>
  )
}
