import { Button, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Confirm } from '../../kit/dialogs/confirm.tsx'
import { NotPermitted } from '../../kit/states/not-permitted.tsx'
import { toast } from '../../kit/toast.tsx'

/** What is asked before something that is trained is changed. */
export type ActQuestion = readonly [title: string, verb: string, text: string]

/** A change that may be under way. */
export interface RunningAct {
  readonly isPending: boolean
  readonly error: Error | null
  readonly reset: () => void
  readonly mutate: (input: { readonly params: { readonly id: string } }) => void
}

/** Which change is asked about; null: none. `doneWith` ends the question with a notice. */
export function useAskedAct<Act extends string>() {
  const [asked, setAsked] = useState<Act | null>(null)
  const doneWith = (notice: string) => () => {
    setAsked(null)
    toast(notice)
  }
  const ask = (acts: Readonly<Record<Act, RunningAct>>, act: Act) => {
    acts[act].reset()
    setAsked(act)
  }
  return { asked, ask, doneWith, close: () => setAsked(null) }
}

interface AskedActProps<Act extends string> {
  readonly asked: Act | null
  readonly acts: Readonly<Record<Act, RunningAct>>
  readonly questions: Readonly<Record<Act, ActQuestion>>
  readonly id: string
  readonly onClose: () => void
}

/** The question, while there is one. */
export function AskedAct<Act extends string>({ asked, acts, questions, id, onClose }: AskedActProps<Act>): ReactNode {
  if (asked === null) return null
  const [title, verb, text] = questions[asked]
  const { isPending, error, mutate } = acts[asked]
  return (
    <Confirm
      opened
      onClose={onClose}
      title={title}
      verb={verb}
      isRunning={isPending}
      error={error}
      onConfirm={() => mutate({ params: { id } })}
    >
      <Text>{text}</Text>
    </Confirm>
  )
}

interface ActButtonsProps<Act extends string> {
  readonly shown: readonly Act[]
  readonly buttons: Readonly<Record<Act, string>>
  /** Why the person may not; null: they may. */
  readonly reason: string | null
  readonly onAsk: (act: Act) => void
}

/** A button for each change. */
export function ActButtons<Act extends string>({ shown, buttons, reason, onAsk }: ActButtonsProps<Act>): ReactNode {
  return (
    <NotPermitted reason={reason}>
      {(disabled) =>
        shown.map((act) => (
          <Button key={act} variant="default" disabled={disabled} onClick={() => onAsk(act)}>
            {buttons[act]}
          </Button>
        ))
      }
    </NotPermitted>
  )
}
