import { Autocomplete, Button, Checkbox, Group, Modal, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import { listAliases } from '@ratchet/contracts/aliases'
import { listCriteria } from '@ratchet/contracts/criteria'
import { adoptModelVersion } from '@ratchet/contracts/model-version-changes'
import type { ModelVersionDetail } from '@ratchet/contracts/model-versions'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint, useList } from '../../../api/use-endpoint.ts'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { toast } from '../../../kit/toast.tsx'
import { missingOf } from './missing-evidence.ts'
import { versionChanges } from './version-changes.ts'

interface AdoptVersionProps {
  readonly version: ModelVersionDetail
  readonly onClose: () => void
}

const defaultPercent = 10

/** Chooses an alias and a share. A refusal says what is missing, and an owner may then force it with a reason. */
export function AdoptVersion({ version: { id }, onClose }: AdoptVersionProps): ReactNode {
  const [alias, setAlias] = useState('')
  const [percent, setPercent] = useState<number | string>(defaultPercent)
  const [gate, setGate] = useState<GateChoice>({ judgeId: null, acts: true })
  const [reason, setReason] = useState('')
  const [isForced, setIsForced] = useState(false)
  const mayForce = reasonAgainst('owner', useWorkspace()) === null
  const aliases = useEndpoint(listAliases, { query: { limit: 200 } }).data?.data ?? []
  const isNew = !aliases.some(({ name }) => name === alias)
  const { isPending, error, mutate } = useAct(adoptModelVersion, {
    changes: [...versionChanges, listAliases],
    onDone(reply) {
      onClose()
      toast(`${reply.alias.name} routes to the version.`)
    },
  })
  const missing = missingOf(error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = {
      aliasName: alias,
      ...(isNew ? {} : { canaryPercent: Number(percent), ...gateOf(gate) }),
      ...(reason.trim() === '' ? {} : { reason }),
      ...(isForced ? { force: true } : {}),
    }
    mutate({ params: { id }, body })
  }
  return (
    <Modal opened onClose={onClose} title="Adopt this version">
      <form onSubmit={submit}>
        <Stack gap={14}>
          <Autocomplete
            label="Alias"
            description={alias !== '' && isNew ? 'A new alias: it sends all its requests to the version.' : undefined}
            required
            data={aliases.map(({ name }) => name)}
            value={alias}
            onChange={setAlias}
          />
          <NumberInput
            label="Share of the requests"
            suffix=" %"
            min={0}
            max={100}
            allowDecimal={false}
            disabled={isNew}
            value={isNew ? 100 : percent}
            onChange={setPercent}
          />
          {!isNew && <GateFields gate={gate} onChange={setGate} />}
          <TextInput
            label="Reason"
            description="Stored in the audit of the alias."
            required={isForced}
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          />
          {missing !== null && <MissingEvidence {...missing} />}
          {missing !== null && mayForce && (
            <Checkbox
              label="Adopt it without this evidence"
              checked={isForced}
              onChange={({ currentTarget }) => setIsForced(currentTarget.checked)}
            />
          )}
          {error !== null && missing === null && <ErrorState error={error} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isPending} disabled={alias === ''}>
              Adopt
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

interface GateChoice {
  /** Null: the alias keeps what it has. */
  readonly judgeId: string | null
  readonly acts: boolean
}

function gateOf({ judgeId, acts }: GateChoice) {
  return judgeId === null
    ? {}
    : { gateCriterionId: judgeId, gateMode: acts ? ('auto' as const) : ('recommend' as const) }
}

interface GateFieldsProps {
  readonly gate: GateChoice
  readonly onChange: (gate: GateChoice) => void
}

/** The judge that compares the version with what the alias routes to now. */
function GateFields({ gate, onChange }: GateFieldsProps): ReactNode {
  const judges = useList(listCriteria, { query: { status: 'draft' } })
  return (
    <>
      <Select
        label="Judge of the gate"
        description="It compares the version with the present model. By default the alias keeps what it has."
        searchable
        clearable
        placeholder="As the alias has it"
        data={judges.rows.map(({ id, name, trust }) => ({ value: id, label: `${name} · ${trust}` }))}
        value={gate.judgeId}
        onChange={(judgeId) => onChange({ ...gate, judgeId })}
        comboboxProps={{ withinPortal: false }}
      />
      {gate.judgeId !== null && (
        <Checkbox
          label="The gate promotes and rolls back by itself"
          checked={gate.acts}
          onChange={({ currentTarget }) => onChange({ ...gate, acts: currentTarget.checked })}
        />
      )}
    </>
  )
}

function MissingEvidence({ isAll, rows }: NonNullable<ReturnType<typeof missingOf>>): ReactNode {
  return (
    <div role="alert">
      <Notice state="wrong">
        {isAll ? 'All of this is missing:' : 'No evidence supports it. One of these is enough:'}
      </Notice>
      <ul>
        {rows.map(({ requirement, detail }) => (
          <li key={requirement}>
            <strong>{requirement}</strong>: {detail}
          </li>
        ))}
      </ul>
    </div>
  )
}
