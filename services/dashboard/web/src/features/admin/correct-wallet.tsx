import { correctWorkspaceWallet } from '@ratchet/contracts/dashboard/admin'
import type { ReactNode } from 'react'
import { useAct } from '../../api/use-act.ts'
import { moneyText } from '../../kit/money.ts'
import { toast } from '../../kit/toast.tsx'
import { type WalletActProps, WalletDialog, type Workspace } from './wallet-dialog.tsx'
import { WalletForm } from './wallet-form.tsx'

/** Gives back what was charged wrongly, or takes what was credited wrongly. */
export function CorrectWallet(props: WalletActProps): ReactNode {
  return (
    <WalletDialog {...props} verb="Correct">
      {(workspace) => <CorrectionForm workspace={workspace} onClose={props.onClose} />}
    </WalletDialog>
  )
}

interface FormProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

function CorrectionForm({ workspace: { slug, name }, onClose }: FormProps): ReactNode {
  const act = useAct(correctWorkspaceWallet, {
    onDone: ({ corrected, balance_nano: balance }) => {
      onClose()
      const what = corrected ? `The wallet of ${name} is corrected` : 'This correction was made before'
      toast(`${what}; its balance is ${moneyText(balance, { unit: 'nano', exact: true })}.`)
    },
  })
  return (
    <WalletForm
      verb="Correct"
      referenceHelp="Such as a ticket. The same reference is posted once."
      canTake
      isSending={act.isPending}
      error={act.error}
      onSend={(body, options) => act.mutate({ params: { slug }, body }, options)}
      onClose={onClose}
    />
  )
}
