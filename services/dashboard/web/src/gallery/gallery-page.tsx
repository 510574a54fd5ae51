import { Button, SegmentedControl, useMantineColorScheme } from '@mantine/core'
import type { ReactNode } from 'react'
import { commonCommands } from '../keys/commands.ts'
import { KeyProvider } from '../keys/key-provider.tsx'
import { Page } from '../kit/page.tsx'
import { themeChoices } from '../kit/use-theme.ts'
import { DialogSection } from './dialog-section.tsx'
import { PictureSection } from './picture-section.tsx'
import { StateSection } from './state-section.tsx'
import { TableSection } from './table-section.tsx'
import { TextSection } from './text-section.tsx'

const preferences = { single_keys: true, shortcuts: {} }

export function GalleryPage(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const choose = (
    <SegmentedControl
      aria-label="Colours"
      data={[...themeChoices]}
      value={colorScheme}
      onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}
    />
  )
  return (
    <KeyProvider commands={commonCommands} preferences={preferences}>
      <main style={{ padding: '20px 16px 80px' }}>
        <Page title="Gallery" lead="Every part of the kit and every picture, in all states." actions={choose}>
          <PictureSection />
          <StateSection />
          <TableSection />
          <TextSection />
          <DialogSection />
          <Button disabled>Disabled</Button>
        </Page>
      </main>
    </KeyProvider>
  )
}
