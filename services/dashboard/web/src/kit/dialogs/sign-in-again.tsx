import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { onFreshSignInRequired } from '../../api/fresh-sign-in.ts'

const SignInAgainDialog = lazy(async () => ({
  default: (await import('./sign-in-again-dialog.tsx')).SignInAgainDialog,
}))

/** The dialog of an action that requires a fresh sign-in. The action continues afterwards; nothing that was typed is lost. */
export function SignInAgain(): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const answer = useRef<(signedIn: boolean) => void>(() => undefined)
  useEffect(
    () =>
      onFreshSignInRequired(() => {
        setIsOpen(true)
        return new Promise((resolve) => {
          answer.current = resolve
        })
      }),
    [],
  )
  const close = (signedIn: boolean) => {
    setIsOpen(false)
    answer.current(signedIn)
  }
  if (!isOpen) return null
  return (
    <Suspense>
      <SignInAgainDialog onDone={() => close(true)} onCancel={() => close(false)} />
    </Suspense>
  )
}
