import { defineConfig } from "vitest/config";

// Tests of the whole page in a real browser; tests/ui/web/test_browser.py starts what they look at.
export default defineConfig({
  test: { include: ["tests/browser/*.browser.ts"], testTimeout: 120_000, hookTimeout: 60_000 },
});
