// Lists of matches that do not follow the server: their clips play in place.

import { listen, prepare } from "./player.js";

listen();
prepare(document);
