import { TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import styles from '../billing.module.css'

interface AmountFormProps {
  readonly label: string
  readonly placeholder: string
  readonly amount: string
  readonly onAmount: (amount: string) => void
  /** Why the person may not send it; null when they may. */
  readonly reason: string | null
  /** Sends the amount. Returns what is wrong with it, or null. */
  readonly onSend: () => string | null
  /** The buttons, of which one submits. */
  readonly children: (disabled: boolean) => ReactNode
}

/** One amount of US dollars. */
export function AmountForm(props: AmountFormProps): ReactNode {
  const { label, placeholder, amount, onAmount, reason, onSend, children } = props
  const [problem, setProblem] = useState<string | null>(null)
  const send = (event: FormEvent) => {
    event.preventDefault()
    setProblem(onSend())
  }
  return (
    <form onSubmit={send} className={styles.controls}>
      <TextInput
        label={label}
        inputMode="decimal"
        placeholder={placeholder}
        required
        disabled={reason !== null}
        value={amount}
        error={problem}
        onChange={({ currentTarget }) => onAmount(currentTarget.value)}
      />
      <NotPermitted reason={reason}>{children}</NotPermitted>
    </form>
  )
}
