import { Button, Text } from '@mantine/core'
import { readSessionWallet, setWalletAlert } from '@ratchet/contracts/billing'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { nanoOfDollars } from '../../../kit/dollars.ts'
import { moneyText } from '../../../kit/money.ts'
import { Card } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { toast } from '../../../kit/toast.tsx'
import { AmountForm } from './amount-form.tsx'
import type { WalletReply } from './wallet-reply.ts'

/** When the workspace is told that its money comes to an end. */
export function WalletAlert({
  wallet: { alert, available_nano: available },
}: {
  readonly wallet: WalletReply
}): ReactNode {
  const workspace = useWorkspace()
  const reason = reasonAgainst('owner', workspace)
  // The service compares every ten seconds; the page shows what is true now.
  const isBelow = alert !== null && BigInt(available) < BigInt(alert.threshold_nano)
  return (
    <Card title="Alert">
      {alert === null ? (
        <Text>No alert is set.</Text>
      ) : (
        <StateLabel state={isBelow ? 'wrong' : 'proven'}>
          {isBelow ? 'Below' : 'Above'} {moneyText(alert.threshold_nano, { unit: 'nano', exact: true })}
        </StateLabel>
      )}
      <p className="dimmed">
        When less than this is available, the event <span className="code">wallet.low</span> is sent once to your{' '}
        <Link to="/w/$slug/settings/webhooks" params={{ slug: workspace.slug }}>
          webhooks
        </Link>
        .
      </p>
      <AlertForm isSet={alert !== null} reason={reason} />
    </Card>
  )
}

function AlertForm({ isSet, reason }: { readonly isSet: boolean; readonly reason: string | null }): ReactNode {
  const [amount, setAmount] = useState('')
  const act = useAct(setWalletAlert, {
    changes: [readSessionWallet],
    onDone: ({ threshold_nano: nano }) => {
      setAmount('')
      toast(nano === null ? 'The alert is removed.' : 'The alert is set.')
    },
  })
  const send = () => {
    const nano = nanoOfDollars(amount)
    if (nano === null) return 'This must be an amount such as 25.'
    act.mutate({ body: { threshold_nano: nano } })
    return null
  }
  return (
    <>
      <AmountForm
        label="Alert below, in US dollars"
        placeholder="25"
        amount={amount}
        onAmount={setAmount}
        reason={reason}
        onSend={send}
      >
        {(disabled) => (
          <>
            <Button type="submit" disabled={disabled} loading={act.isPending}>
              Set
            </Button>
            {isSet && (
              <Button
                variant="default"
                disabled={disabled}
                onClick={() => act.mutate({ body: { threshold_nano: null } })}
              >
                Remove
              </Button>
            )}
          </>
        )}
      </AmountForm>
      {act.error && <ErrorState error={act.error} />}
    </>
  )
}
