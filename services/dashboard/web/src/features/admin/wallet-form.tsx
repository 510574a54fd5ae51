import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { creditWorkspace } from '@ratchet/contracts/dashboard/admin'
import { type ReactNode, useState } from 'react'
import { z } from 'zod'
import { ApiError } from '../../api/api-error.ts'
import { nanoOfDollars } from '../../kit/dollars.ts'
import { ErrorState } from '../../kit/states/error-state.tsx'
import { showErrorAt, useContractForm } from '../../kit/use-contract-form.ts'

const Values = z.object({
  amount: z.string(),
  reference: creditWorkspace.body.shape.reference,
  reason: creditWorkspace.body.shape.reason,
})

interface MovedMoney {
  /** Nano-dollars as digits; negative when the wallet loses them. */
  readonly amount_nano: string
  readonly reference: string
  readonly reason: string
}

interface WalletFormProps {
  readonly verb: string
  readonly referenceHelp: string
  /** Whether money can also be taken. */
  readonly canTake?: boolean
  readonly isSending: boolean
  readonly error: Error | null
  readonly onSend: (moved: MovedMoney, options: { readonly onError: (error: unknown) => void }) => void
  readonly onClose: () => void
}

/** What an operator gives to a wallet, or takes from it. */
export function WalletForm(props: WalletFormProps): ReactNode {
  const { verb, referenceHelp, canTake = false, isSending, error, onSend, onClose } = props
  const [direction, setDirection] = useState('give')
  const form = useContractForm(Values, { amount: '', reference: '', reason: '' })
  const onError = (failure: unknown) => {
    showErrorAt(form, failure)
    if (failure instanceof ApiError && failure.param === 'amount_nano') form.setFieldError('amount', failure.message)
  }
  const send = form.onSubmit(({ amount, reference, reason }) => {
    const nano = nanoOfDollars(amount)
    if (nano === null) return form.setFieldError('amount', 'This must be an amount such as 25.')
    onSend({ amount_nano: direction === 'take' ? `-${nano}` : nano, reference, reason }, { onError })
  })
  return (
    <form onSubmit={send}>
      <Stack gap={12}>
        <Text>The owners read about it, and who did it, in the audit of the workspace.</Text>
        {canTake && (
          <SegmentedControl
            fullWidth
            aria-label="Direction"
            data={directions}
            value={direction}
            onChange={setDirection}
          />
        )}
        <TextInput
          label="Amount in US dollars"
          inputMode="decimal"
          required
          data-autofocus
          {...form.getInputProps('amount')}
        />
        <TextInput label="Reference" description={referenceHelp} required {...form.getInputProps('reference')} />
        <TextInput label="Reason" description="For the ledger." required {...form.getInputProps('reason')} />
        {error && <ErrorState error={error} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isSending}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const directions = [
  { value: 'give', label: 'Give money' },
  { value: 'take', label: 'Take money' },
]
