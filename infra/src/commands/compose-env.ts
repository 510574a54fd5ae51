import { newComposeSecrets } from '../new-secrets.ts'

/* Prints the secrets that docker-compose.yml wants, those of k8s/ among them: `npm run --silent compose:env > .env`. */
for (const [name, value] of Object.entries(newComposeSecrets())) console.log(`${name}=${value}`)
