import { Button, Group, Stack, Text, Title } from '@mantine/core'
import {
  cancelPersonErasure,
  confirmPersonErasure,
  downloadErasureReceipt,
  type ErasureCount,
  ErasureReceipt,
  listPersonErasures,
  type PersonErasure,
} from '@ratchet/contracts/dashboard/erasures'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { CopyText } from '../../../kit/copy-text.tsx'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { DownloadLink } from '../../../kit/download-link.tsx'
import { Facts } from '../../../kit/facts.tsx'
import { count } from '../../../kit/numbers.ts'
import { Progress } from '../../../kit/progress.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { exactTime } from '../../../kit/time.ts'
import { kindText, totalOf, whomText } from './erasure-words.ts'

/** One erasure: how far it is, its numbers, and its receipt. */
export function ErasureDetails({ erasure }: { readonly erasure: PersonErasure }): ReactNode {
  const { state, progress, waits, found, erased, model_versions: versions } = erasure
  const isOpen = state === 'finding' || state === 'erasing'
  return (
    <Stack gap={16}>
      {isOpen && (
        <Progress label={state === 'finding' ? 'Counting' : 'Erasing'} done={progress.done} total={progress.of} />
      )}
      {waits.map(({ service, reason }) => (
        <Notice key={service} state="open">
          {service} waits: {reason}.
        </Notice>
      ))}
      {versions.length > 0 && (
        <Notice state="wrong">
          Trained models cannot forget. These versions were trained with examples of this person: {versions.join(', ')}.
        </Notice>
      )}
      {state === 'found' && <Decide erasure={erasure} />}
      {erased.length > 0 ? <Counts title="Erased" counts={erased} /> : <Counts title="Found" counts={found} />}
      {erasure.receipt !== null && <Receipt erasure={erasure} text={erasure.receipt} />}
    </Stack>
  )
}

function Counts({ title, counts }: { readonly title: string; readonly counts: readonly ErasureCount[] }): ReactNode {
  if (counts.length === 0) return null
  const facts = counts.map(({ service, kind, count: rows }) => [`${kindText(kind)} (${service})`, count(rows)] as const)
  return (
    <section>
      <Title order={2} size="h4">
        {title}: {totalOf(counts)}
      </Title>
      <Facts facts={facts} />
    </section>
  )
}

function Decide({ erasure }: { readonly erasure: PersonErasure }): ReactNode {
  const [isAsking, setAsking] = useState(false)
  const { id } = erasure
  const person = erasure.person ?? ''
  const changes = [listPersonErasures]
  const confirm = useAct(confirmPersonErasure, { changes, onDone: () => setAsking(false) })
  const cancel = useAct(cancelPersonErasure, { changes })
  return (
    <Group gap={8}>
      <Button color="red" onClick={() => setAsking(true)}>
        Erase it all
      </Button>
      <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate({ params: { id } })}>
        Cancel
      </Button>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Erase all of ${whomText(erasure)}?`}
        verb="Erase"
        typed={person}
        isRunning={confirm.isPending}
        error={confirm.error}
        onConfirm={() => confirm.mutate({ params: { id }, body: { person } })}
      >
        <Text>
          What was counted is erased, and what arrived since. Examples are taken out of datasets. Charges stay, without
          the name. This cannot be undone.
        </Text>
      </Confirm>
    </Group>
  )
}

function Receipt({ erasure, text }: { readonly erasure: PersonErasure; readonly text: string }): ReactNode {
  const slug = useWorkspaceSlug()
  const { kept } = ErasureReceipt.parse(JSON.parse(text))
  const file = downloadErasureReceipt.path.replace(':slug', slug).replace(':id', erasure.id)
  return (
    <section>
      <Title order={2} size="h4">
        Receipt
      </Title>
      <Facts
        facts={[
          ['Ended', erasure.ended_at === null ? '' : exactTime(erasure.ended_at)],
          [
            'SHA-256',
            <CopyText key="hash" text={erasure.receipt_sha256 ?? ''} label="Copy the SHA-256 of the receipt" />,
          ],
          ...kept.map(
            ({ kind, count: rows, why }) => [`Kept: ${kindText(kind)}`, `${count(rows ?? 0)}. ${why}`] as const,
          ),
        ]}
      />
      <DownloadLink path={file}>Download the receipt</DownloadLink>
    </section>
  )
}
