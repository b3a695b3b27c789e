#include "engine/outside/reception.h"
