import { SegmentedControl } from '@mantine/core'
import type { Preferences } from '@ratchet/contracts/dashboard/account'
import type { ReactNode } from 'react'
import { Card } from '../../kit/page.tsx'
import { ErrorState } from '../../kit/states/error-state.tsx'
import { themeChoices, useTheme } from '../../kit/use-theme.ts'

export function Theme(): ReactNode {
  const { theme, choose, error } = useTheme()
  return (
    <Card title="Colours">
      <SegmentedControl
        aria-label="Colours"
        data={[...themeChoices]}
        value={theme}
        onChange={(value) => choose(value as Preferences['theme'])}
      />
      {error && <ErrorState error={error} />}
    </Card>
  )
}
