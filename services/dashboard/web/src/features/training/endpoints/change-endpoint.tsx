import { Button, Group, Modal, Stack } from '@mantine/core'
import {
  type DedicatedEndpoint,
  getDedicatedEndpoint,
  listDedicatedEndpoints,
  updateDedicatedEndpoint,
} from '@ratchet/contracts/dedicated'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import { useAct } from '../../../api/use-act.ts'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { toast } from '../../../kit/toast.tsx'
import { type ScaleValues, scaleBodyOf, valuesOf, wrongScaleText } from './endpoint-values.ts'
import { HourEstimate } from './hour-estimate.tsx'
import { ScaleFields } from './scale-fields.tsx'

interface ChangeEndpointProps {
  readonly endpoint: DedicatedEndpoint
  readonly onClose: () => void
}

/** Changes how it is scaled and what limits it, with what an hour costs then. */
export function ChangeEndpoint({ endpoint, onClose }: ChangeEndpointProps): ReactNode {
  const { id, price_usd_per_hour: price } = endpoint
  const [values, setValues] = useState<ScaleValues>(() => valuesOf(endpoint))
  const onDone = () => {
    onClose()
    toast('The endpoint is changed.')
  }
  const act = useAct(updateDedicatedEndpoint, { changes: [getDedicatedEndpoint, listDedicatedEndpoints], onDone })
  const wrong = wrongScaleText(values)
  const errorAt = (field: string) =>
    act.error instanceof ApiError && act.error.param === field ? act.error.message : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (wrong === null) act.mutate({ params: { id }, body: scaleBodyOf(values) })
  }
  return (
    <Modal opened onClose={onClose} title="Change this endpoint" size="lg">
      <form onSubmit={submit}>
        <Stack gap={14}>
          <ScaleFields
            values={values}
            change={(changed) => setValues((before) => ({ ...before, ...changed }))}
            errorAt={errorAt}
          />
          {wrong === null ? (
            <HourEstimate values={values} priceUsdPerHour={price} />
          ) : (
            <Notice state="wrong">{wrong}</Notice>
          )}
          {act.error !== null && <ErrorState error={act.error} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={act.isPending} disabled={wrong !== null}>
              Change it
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
