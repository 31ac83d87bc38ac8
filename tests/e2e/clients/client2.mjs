// @modelcontextprotocol/client 2.x in auto mode over one transport; prints the cells of its row and the revision as JSON.
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { scenario, target } from './scenario.mjs';

const { kind, url, command, env } = target();
const transport = kind === 'stdio' ? new StdioClientTransport({ command: command[0], args: command.slice(1), env })
  : kind === 'sse' ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url));
const client = new Client({ name: 'e2e-client2', version: '1' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(transport);
const cells = await scenario(() => client.listTools(), (name, args) => client.callTool({ name, arguments: args }));
cells.revision = client.getNegotiatedProtocolVersion?.() ?? '';
await client.close();
console.log(JSON.stringify(cells));
process.exit(0);
